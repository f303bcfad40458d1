"""WhatsApp Cloud API: `facts` (pure) says what a webhook states, `account` speaks to Meta's Graph API."""
