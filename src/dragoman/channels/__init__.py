"""One folder per platform: facts (pure), adapter (thin), and the operations that may be called there."""
