"""The hub: roles, contacts, messages and leases between owners' agents (spec 2 §1). Pure rules, a service, a store."""
