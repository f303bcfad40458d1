"""Other runtimes' channel configuration, read strictly and written as a Dragoman policy that never admits more."""
