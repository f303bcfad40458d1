"""The reading of Chinese: fields of acts and things, whose they are, and what denies."""
