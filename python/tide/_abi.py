"""The structs and functions of libtide, as include/tide/*.h declares them.

A class has the name of its C struct, and tests/python/abi.py compares the two by a compiler. One-member
structs (tide_page, tide_chunk) are passed as their member: the calling conventions of 64-bit Linux treat
both alike. Structs of counts are missing: the JSON document of a run names them.
"""

from __future__ import annotations

import ctypes
from ctypes import CFUNCTYPE, POINTER, Structure, c_bool, c_char, c_char_p, c_double, c_int
from ctypes import c_size_t, c_ubyte, c_uint, c_uint8, c_uint32, c_uint64, c_void_p
from typing import Any

POLICY_API = 1
NO_CHUNK = 0xFFFFFFFF
NEVER = 0xFFFFFFFFFFFFFFFF
PLAN_ENTRIES = 4098

ROLES = ("evict", "prefetch", "place")  # by enum tide_role
PARAM_TYPES = ("int", "real", "text", "policies", "trace")  # by enum tide_param_type
NEEDS = ("accesses", "notices", "refs", "future", "pages", "clock", "touched", "samples", "remote", "sizes")
PLACEMENTS = {"keep": 1, "tier2": 2, "tier3": 3}


class Sized(Structure):
    """A struct that begins with its size."""

    def __init__(self, **members: Any) -> None:
        super().__init__(size=ctypes.sizeof(self), **members)


class tide_error(Structure):
    _fields_ = [("code", c_int), ("text", c_char * 512)]


class tide_accesses(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("n", c_uint64),
        ("page", POINTER(c_uint64)),
        ("ref", POINTER(c_uint64)),
        ("stream", POINTER(c_uint64)),
        ("write", POINTER(c_uint8)),
        ("first", POINTER(c_uint8)),
        ("bytes", POINTER(c_uint64)),
        ("cost", POINTER(c_uint64)),
    ]


class tide_facts(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("accesses", c_uint64),
        ("pages", c_uint64),
        ("last_page", c_uint64),
        ("refs", c_uint64),
        ("digest", c_uint64 * 2),
    ]


class tide_param(Structure):
    _fields_ = [
        ("name", c_char_p),
        ("type", c_uint),
        ("initial", c_char_p),
        ("min", c_double),
        ("max", c_double),
        ("help", c_char_p),
    ]


# ---- policies ----


class tide_plan_entry(Structure):
    _fields_ = [("number", c_uint64), ("pages", c_uint64), ("index", c_uint32)]


class tide_plan(Structure):
    _fields_ = [
        ("own", c_uint64),
        ("n", c_uint32),
        ("overflow", c_bool),
        ("remote", c_bool),
        ("arm", c_uint),
        ("other", tide_plan_entry * PLAN_ENTRIES),
    ]


class tide_object(Structure):
    _fields_ = [("bytes", c_uint64), ("cost", c_uint64)]


class tide_near(Structure):
    _fields_ = [
        ("capacity_pages", c_uint64),
        ("free_pages", c_uint64),
        ("last_page", c_uint64),
        ("time", c_uint64),
        ("resident_chunks", c_uint64),
        ("chunk_pages", c_uint32),
        ("chunks", c_uint32),
        ("bits", c_void_p),
        ("lane_bytes", c_uint32),
        ("record_shift", c_uint32),
        ("numbers", POINTER(c_uint64)),
        ("fault_chunk", c_uint32),
        ("planned", POINTER(c_uint64)),
        ("plan", POINTER(tide_plan)),
        ("blocked_chunks", c_uint64),
        ("next_use", POINTER(c_uint32)),
        ("chunk_at", POINTER(c_uint32)),
        ("length", c_uint64),
        ("follows_lru", c_bool),
        ("find", CFUNCTYPE(c_uint32, c_void_p, c_uint64)),
        ("host_pages", c_uint64),
        ("host_free_pages", c_uint64),
        ("allocations", POINTER(c_uint64)),
        ("allocations_n", c_uint32),
        ("group_at", c_uint64),
        ("objects", POINTER(tide_object)),
        ("page_bytes", c_uint64),
    ]


class tide_view(Structure):
    _fields_ = [("near", POINTER(tide_near)), ("slots", POINTER(c_ubyte)), ("random", POINTER(c_uint64))]


class tide_evicted(Structure):
    _fields_ = [
        ("resident", c_uint64),
        ("touched", c_uint64),
        ("dirty", c_uint64),
        ("unused", c_bool),
        ("purpose", c_uint),
    ]


class tide_report(Structure):
    _fields_ = [
        ("to", c_void_p),
        ("number", CFUNCTYPE(None, c_void_p, c_char_p, c_uint64)),
        ("real", CFUNCTYPE(None, c_void_p, c_char_p, c_double)),
        ("text", CFUNCTYPE(None, c_void_p, c_char_p, c_char_p)),
        ("list", CFUNCTYPE(None, c_void_p, c_char_p, POINTER(c_uint64), c_size_t)),
    ]


class tide_policy(Structure):
    _fields_ = [
        ("api", c_uint32),
        ("size", c_uint32),
        ("name", c_char_p),
        ("role", c_uint),
        ("summary", c_char_p),
        ("paper", c_char_p),
        ("needs", c_uint),
        ("params", POINTER(tide_param)),
        ("state_bytes", c_size_t),
        ("chunk_bytes", c_size_t),
        ("needs_with", c_void_p),
        ("chunk_bytes_with", c_void_p),
        ("create", CFUNCTYPE(c_int, c_void_p, POINTER(tide_view), c_void_p, POINTER(tide_error))),
        ("train", c_void_p),
        ("destroy", CFUNCTYPE(None, c_void_p)),
        ("on_full", CFUNCTYPE(None, c_void_p)),
        ("on_fault", CFUNCTYPE(None, c_void_p, c_uint32, c_uint64)),
        ("on_migrated", CFUNCTYPE(None, c_void_p, c_uint32, c_uint64)),
        ("on_access", CFUNCTYPE(None, c_void_p, c_uint32, c_uint64, c_uint64)),
        ("on_notice", c_void_p),
        ("on_evicted", CFUNCTYPE(None, c_void_p, c_uint32, POINTER(tide_evicted))),
        ("on_boundary", CFUNCTYPE(None, c_void_p, c_uint64)),
        ("pick_victim", CFUNCTYPE(c_uint32, c_void_p)),
        ("pick_observed", c_void_p),
        ("follows_lru", CFUNCTYPE(c_bool, c_void_p)),
        ("plan_prefetch", CFUNCTYPE(None, c_void_p, c_uint32, c_uint64, POINTER(tide_plan))),
        ("plan_notice", c_void_p),
        ("place_victim", CFUNCTYPE(c_uint, c_void_p, c_uint32)),
        ("yields", CFUNCTYPE(c_bool, c_void_p, c_uint32, c_uint32)),
        ("inclusive", c_bool),
        ("report", CFUNCTYPE(None, c_void_p, POINTER(tide_report))),
        ("expect_access", c_void_p),
    ]


# ---- runs, curves, traces ----


class tide_sim_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("trace", c_char_p),
        ("workload", c_char_p),
        ("format", c_char_p),
        ("columns", c_char_p),
        ("near_size", c_char_p),
        ("page", c_char_p),
        ("chunk", c_char_p),
        ("evict", c_char_p),
        ("prefetch", c_char_p),
        ("place", c_char_p),
        ("host", c_char_p),
        ("model", c_char_p),
        ("log", c_char_p),
        ("seed", c_char_p),
        ("replace_invalid", c_bool),
        ("facts", POINTER(tide_facts)),
        ("on_stuck", c_void_p),
        ("on_stuck_arg", c_void_p),
        ("watchdog", c_char_p),
        ("no_digest", c_bool),
        ("split", c_char_p),
        ("objects", c_bool),
        ("threads", c_size_t),
        ("accesses", POINTER(tide_accesses)),
        ("stop", POINTER(c_int)),
        ("own", POINTER(POINTER(tide_policy))),
        ("flush", c_bool),
    ]


class tide_mrc_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("trace", c_char_p),
        ("workload", c_char_p),
        ("format", c_char_p),
        ("columns", c_char_p),
        ("page", c_char_p),
        ("seed", c_char_p),
        ("policy", c_char_p),
        ("sizes", c_char_p),
        ("sample", c_char_p),
        ("threads", c_uint),
        ("facts", POINTER(tide_facts)),
        ("objects", c_bool),
        ("accesses", POINTER(tide_accesses)),
        ("stop", POINTER(c_int)),
    ]


class tide_mrc_point(Structure):
    _fields_ = [("pages", c_double), ("misses", c_uint64), ("miss_ratio", c_double), ("size_pages", c_uint64)]


class tide_mrc_object(Structure):
    _fields_ = [("near_bytes", c_uint64), ("byte_miss_ratio", c_double), ("cost_miss_ratio", c_double)]


class tide_mrc(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("accesses", c_uint64),
        ("footprint_pages", c_uint64),
        ("sampled_accesses", c_uint64),
        ("method", c_char_p),
        ("format", c_char_p),
        ("error", c_double),
        ("n", c_size_t),
        ("at", POINTER(tide_mrc_point)),
        ("input_digest", c_uint64 * 2),
        ("settings_digest", c_uint64 * 2),
        ("samples", c_uint),
        ("sample_share", c_double),
        ("errors", POINTER(c_double)),
        ("prefix_hits", POINTER(c_uint64)),
        ("object_bytes", c_uint64),
        ("objects", POINTER(tide_mrc_object)),
    ]


class tide_trace_options(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("path", c_char_p),
        ("workload", c_char_p),
        ("format", c_char_p),
        ("columns", c_char_p),
        ("page", c_char_p),
        ("seed", c_char_p),
    ]


# ---- lists ----


class tide_model_info(Sized):
    _fields_ = [("size", c_size_t), ("name", c_char_p), ("summary", c_char_p), ("params", tide_param * 64)]


class tide_workload_info(Sized):
    _fields_ = [
        ("size", c_size_t),
        ("name", c_char_p),
        ("paper", c_char_p),
        ("type", c_char_p),
        ("summary", c_char_p),
        ("footprint_bytes", c_uint64),
        ("accesses", c_uint64),
        ("published_bytes", c_uint64),
        ("params", POINTER(tide_param)),
        ("page_bytes", c_uint64),
        ("arrays", c_uint),
        ("touched_bytes", c_uint64),
    ]


progress_function = CFUNCTYPE(None, c_void_p, c_uint64, c_uint64)

_handle = c_void_p
_out = POINTER(c_void_p)
_error = POINTER(tide_error)

# name: (what it returns, what it takes)
FUNCTIONS: dict[str, tuple[Any, list[Any]]] = {
    "tide_version": (c_char_p, []),
    "tide_sim_open": (c_int, [_out, POINTER(tide_sim_options), _error]),
    "tide_sim_run": (c_int, [_handle, progress_function, c_void_p, _error]),
    "tide_sim_push": (c_int, [_handle, POINTER(tide_accesses), _error]),
    "tide_sim_facts": (c_int, [_handle, POINTER(tide_facts), _error]),
    "tide_sim_json": (c_int, [_handle, _out, _error]),
    "tide_sim_close": (c_int, [_handle]),
    "tide_mrc_run": (
        c_int,
        [POINTER(POINTER(tide_mrc)), POINTER(tide_mrc_options), progress_function, c_void_p, _error],
    ),
    "tide_trace_open": (c_int, [_out, POINTER(tide_trace_options), _error]),
    "tide_trace_next_batch": (c_int, [_handle, POINTER(tide_accesses), _error]),
    "tide_trace_close": (c_int, [_handle]),
    "tide_trace_create": (c_int, [_out, c_char_p, c_char_p, _error]),
    "tide_trace_put_batch": (c_int, [_handle, POINTER(tide_accesses), _error]),
    "tide_trace_finish": (c_int, [_handle, _error]),
    "tide_trace_abandon": (c_int, [_handle]),
    "tide_policy_at": (POINTER(tide_policy), [c_size_t]),
    "tide_model_at": (c_int, [c_size_t, POINTER(tide_model_info)]),
    "tide_workload_at": (c_int, [c_size_t, POINTER(tide_workload_info)]),
}
