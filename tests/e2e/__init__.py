"""The whole life over real servers: what people in a room see, and what others could count."""
