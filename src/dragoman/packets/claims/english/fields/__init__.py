"""A capability as one of seven fields, each of acts and things (`fields`), in the voice of one who offers."""
