"""Tests of the packets: bytes in, verdict out."""
