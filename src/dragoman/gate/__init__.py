"""The gate: who is listening, were we asked, may this go out, may it go there now."""
