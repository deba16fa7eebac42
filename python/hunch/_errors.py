"""The exceptions of Hunch, in the words of the program `hunch`."""


class Error(Exception):
    """What every exception of Hunch is."""


class InputError(Error, ValueError):
    """An argument, a prior, a file or a run's directory that does not fit: which, what was given, what is expected."""


class ModelFailed(Error, RuntimeError):
    """The log-likelihood failed, and `on_failure` says "stop"; the function's own exception is its cause."""


class ModelUnavailable(Error, RuntimeError):
    """There is no server to talk to."""


class StoreRefused(Error, RuntimeError):
    """The store of evaluations is another likelihood's, or damaged. Nothing was written."""


class StoreInUse(StoreRefused):
    """Another process has the store: a run in progress, or a command that reads one."""


class StoreFailed(Error, OSError):
    """The disk failed or is full. What was acknowledged is safe."""


class SamplingWarning(UserWarning):
    """Something about a result that its user should know."""
