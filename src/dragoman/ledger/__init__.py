"""The private local ledger: one SQLite file per state folder, and the named queries beside each part of it."""
