"""IRC: a real InspIRCd with Atheme's services, started once per module by `network.py`."""
