"""The hub's routes, one file per room of the service: HTTP in, one verb, its answer out."""
