"""What is wrong with a policy that loads? Rules that find entries without effect, contradictions and dangers."""
