"""Is something guarded in this text (spec 1 §5)? The question is in `guarded`, the cheap one
before it in `sieve`, growing texts in `stream`; all pure."""

from dragoman.leaks.engines import Engine
from dragoman.leaks.fold import Folded, fold
from dragoman.leaks.guarded import Guard, Hit
from dragoman.leaks.shape import Kind
from dragoman.leaks.sieve import Caught, Sieve
from dragoman.leaks.stream import Settled, StreamScan
from dragoman.leaks.terms import Terms

__all__ = ["Caught", "Engine", "Folded", "Guard", "Hit", "Kind", "Settled", "Sieve", "StreamScan", "Terms", "fold"]
