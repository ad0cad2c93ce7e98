"""Systems that the papers compare with: maintained libraries behind the interface of `reimpl.models`."""
