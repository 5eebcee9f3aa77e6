"""The composition of `composition` as a Promela model, written from the contract and the compiled tables alone.

Each table becomes one inline a trigger, which fails where the table has no such move. All that follows from one
observation is one `d_step`, as it is one commit: SPIN's states are the standings. The rules of recovery are
written here a second time; none of the kernel's code is used.
"""

from collections.abc import Iterator, Mapping

from akm_specs.lifecycle import Lifecycle, load

#: The variable of each entity, by its lifecycle.
VARIABLES = {"run": "r", "step_attempt": "sa", "assignment": "a", "attempt": "at", "effect": "e"}
NONE = 100
#: Faults that can be planted: each breaks the claim that it is named with.
FAULTS = {
    "replays what is lost": "once",
    "ends while uncertain": "accounted",
    "uses an attempt id again": "fresh",
    "leaves an end": "final",
}

_WORLD = """
#define NO_PROCESS 0
#define FRESH 1
#define ACTED 2
#define EXITED_OK 3
#define EXITED_BAD 4
#define GONE 5
byte step = 0, number = 0, lost = 0, proc = NO_PROCESS, acts = 0, losses = 0;
bit up = 1, ending = 0;
#ifdef MONITOR
byte started = 0, ended = 0; bit again = 0, left = 0, unsettled = 0;
#endif
#define UNTIL_HERE (at == AT_starting || at == AT_executing)
#define ENDED (r == R_completed || r == R_failed || r == R_cancelled)
#define STOPS (ending && r == R_cancelling)
"""

_PROTOCOL = """
inline dispatch() {
  NEXT_NUMBER; at = AT_created; e = E_intent_recorded; a_dispatch(); at_start(); proc = NO_PROCESS
}
inline enter(k) {
  step = k; sa = SA_pending; sa_prepare(); sa_start(); a = A_created; a_accept(); number = 0; lost = 0; acts = 0;
#ifdef MONITOR
  started = 0;
#endif
  dispatch()
}
inline no_step() {
  step = 0; sa = NONE; a = NONE; at = NONE; e = NONE; number = 0; lost = 0; acts = 0; proc = NO_PROCESS
}
inline account() { /* a run that ends owes nothing */
#ifdef MONITOR
  if :: e != NONE && e != E_settled -> unsettled = 1 :: else fi;
#endif
  skip
}
inline end_step(passed) {
  if
  :: ending -> sa_cancel(); account(); r_cancel()
  :: !ending && passed && step == 0 -> sa_pass(); enter(1)
  :: !ending && passed && step == 1 -> sa_pass(); account(); r_complete(); no_step()
  :: !ending && !passed -> sa_fail(); account(); r_fail(); no_step()
  fi
}
inline sent() { if :: e == E_intent_recorded -> e_dispatch() :: else fi }
inline at_work() { if :: a != A_executing -> a_execute() :: else fi }
inline admit() { if :: at == AT_starting -> at_execute() :: else fi; at_work(); sent() }
inline settle_effect() { e_observe(); e_record_receipt(); e_settle() }
inline settle_attempt() { at_settle(); at_end() }
inline result(passed) { a_record_result(); a_settle(); end_step(passed) }
inline observed(passed) { admit(); settle_effect(); settle_attempt(); result(passed) }
inline prove() { at_lose(); a_reattach(); at_reattach(); sent() }
inline withdraw() { a_cancel(); end_step(0) }
inline block() {
  sent();
  if :: at == AT_starting -> at_lose() :: else fi;
  e_block(); at_block(); a_block();
  BLOCK_RUN
}
inline replace() {
  settle_effect(); settle_attempt();
  if
  :: ending -> withdraw()
  :: !ending && lost < RECOVERIES -> lost = lost + 1; a_retry(); a_accept(); dispatch()
  :: !ending && lost >= RECOVERIES -> at_work(); result(0)
  fi
}
inline lose() {
  at_lose(); sent();
  if
  :: RECEIPT -> skip /* its query is asked next */
  :: !RECEIPT && (READ_ONLY || (REPEATABLE && (ending || lost < RECOVERIES)) || (COMPARED && acts == 0)) ->
       replace()
  :: else -> LOST
  fi
}
inline never_started() {
  e_settle(); settle_attempt();
  if :: ending -> withdraw() :: else -> at_work(); result(0) fi
}
inline stopped() {
  admit();
  if
  :: REPEATABLE || COMPARED -> settle_effect(); settle_attempt(); withdraw()
  :: RECEIPT -> at_lose()
  :: !REPEATABLE && !COMPARED && !RECEIPT -> block()
  fi
}
inline unblock() {
  if :: ending -> r_begin_cancel() :: else -> r_unblock(); sa_unblock() fi
}
inline resolved_as(passed) { settle_attempt(); a_record_result(); a_settle(); unblock(); end_step(passed) }
inline told() {
#ifdef MONITOR
  if :: ended && r != ended -> left = 1 :: else fi;
  if :: ENDED -> ended = r :: else fi;
#endif
  printf("@ %d %d %d %d %d %d %d %d %d %d %d %d %d\\n", r, step,
         sa, a, at, e, number, lost, ending, up, proc, acts, losses)
}
"""

_MOVES = """
active proctype composition() {
  d_step { r_prepare(); told() }
  do
  /* the world, which no engine has a say in */
  :: d_step { !ENDED && proc == FRESH -> proc = ACTED; acts = acts + 1; told() }
  :: d_step { !ENDED && proc == FRESH -> proc = EXITED_BAD; told() }
  :: d_step { !ENDED && proc == ACTED -> proc = EXITED_OK; told() }
  :: d_step { !ENDED && (proc == FRESH || proc == ACTED) && losses < LOSSES ->
       proc = GONE; up = 0; losses = losses + 1; told() }
  /* the engine stops between two commits, and another one takes over */
  :: d_step { !ENDED && up -> up = 0; told() }
  :: d_step { !ENDED && !up -> up = 1;
       if
       :: UNTIL_HERE && (proc == FRESH || proc == ACTED) -> prove(); at_execute(); a_execute()
       :: UNTIL_HERE && proc == EXITED_OK -> prove(); observed(1)
       :: UNTIL_HERE && proc == EXITED_BAD -> prove(); observed(0)
       :: UNTIL_HERE && proc == GONE -> lose()
       :: else
       fi; told() }
  /* the engine */
  :: d_step { up && r == R_preparing -> r_start(); enter(0); told() }
  :: d_step { up && r == R_preparing -> r_fail(); told() }
  :: d_step { up && r == R_preparing && !ending -> ending = 1; r_cancel(); told() }
  :: d_step { up && !ENDED && r != R_preparing && !ending -> ending = 1;
       if :: r == R_running -> r_begin_cancel() :: else fi; told() }
  :: d_step { up && !ENDED && UNTIL_HERE && !STOPS && proc == NO_PROCESS -> proc = FRESH;
#ifdef MONITOR
       if :: started & (1 << number) -> again = 1 :: else fi;
       started = started | (1 << number);
#endif
       told() }
  :: d_step { up && !ENDED && UNTIL_HERE && proc == NO_PROCESS -> never_started(); told() }
  :: d_step { up && !ENDED && UNTIL_HERE && proc == EXITED_OK -> observed(1); told() }
  :: d_step { up && !ENDED && UNTIL_HERE && proc == EXITED_BAD -> observed(0); told() }
  :: d_step { up && !ENDED && UNTIL_HERE && STOPS && (proc == FRESH || proc == ACTED) ->
       proc = GONE; stopped(); told() }
  /* the receipt query, which may fail */
  :: d_step { up && !ENDED && at == AT_connection_lost -> block(); told() }
  :: d_step { up && !ENDED && at == AT_connection_lost && acts == 0 -> replace(); told() }
  :: d_step { up && !ENDED && at == AT_connection_lost && acts > 0 ->
       settle_effect(); settle_attempt(); at_work(); result(1); told() }
  /* a person, who says only what is so */
  :: d_step { up && !ENDED && e == E_blocked_uncertain && acts > 0 -> settle_effect(); resolved_as(1); told() }
  :: d_step { up && !ENDED && e == E_blocked_uncertain && acts == 0 -> e_settle(); settle_attempt(); a_retry();
       if :: ending -> unblock(); withdraw() :: else -> unblock(); a_accept(); dispatch() fi; told() }
  :: d_step { up && !ENDED && e == E_blocked_uncertain -> e_settle(); resolved_as(0); told() }
  :: d_step { up && !ENDED && e == E_blocked_uncertain -> ending = 1; e_settle(); resolved_as(0); told() }
  :: d_step { up && !ENDED && e == E_blocked_uncertain -> ending = 1; told() }
  :: d_step { ENDED -> AT_THE_END }
  od
}
"""

#: What must hold. `final` and `fresh` need the variables of MONITOR, and so does `accounted`.
CLAIMS = {
    "once": "acts <= 1",
    "accounted": "!unsettled && (r == R_cancelled -> (e == E_settled || e == NONE))",
    "fresh": "!again",
    "final": "!left",
    "listed": "true",
}
#: What must be reached: each of these claims is refuted.
REACHED = {"completes": "R_completed", "fails": "R_failed", "is_cancelled": "R_cancelled"}


def composition_promela(tool: str, recoveries: int, losses: int, fault: str = "", **tables: Lifecycle) -> str:
    """The model for tools of the class `tool`. `tables` replace compiled ones; `fault` is one of FAULTS."""
    repeatable = tool in ("read_only", "external_idempotent")
    again = "settle_effect(); settle_attempt(); a_retry(); a_accept()"
    settings: Mapping[str, object] = {
        "NONE": NONE,
        "RECOVERIES": recoveries,
        "LOSSES": losses,
        "READ_ONLY": int(tool == "read_only"),
        "REPEATABLE": int(repeatable),
        "COMPARED": int(tool == "workspace_mutation"),
        "RECEIPT": int(tool == "receipt_queryable"),
        "NEXT_NUMBER": "number = 1" if fault == "uses an attempt id again" else "number = number + 1",
        "LOST": f"{again}; dispatch()" if fault == "replays what is lost" else "block()",
        "BLOCK_RUN": _blocking(hasty=fault == "ends while uncertain"),
        "AT_THE_END": "r = R_running; told()" if fault == "leaves an end" else "skip",
    }
    lines = [f"#define {name} {value}" for name, value in settings.items() if not str(name).startswith("BLOCK")]
    for name, variable in VARIABLES.items():
        lines += _table(tables.get(name) or load(name), variable)
    protocol = _PROTOCOL.replace("BLOCK_RUN", str(settings["BLOCK_RUN"]))
    moves = _MOVES.replace("AT_THE_END", str(settings["AT_THE_END"]))
    claims = [f"ltl {name} {{ [] ({claim}) }}" for name, claim in CLAIMS.items()]
    reached = [f"ltl never_{name} {{ [] (r != {state}) }}" for name, state in REACHED.items()]
    return "\n".join([*lines, _WORLD, protocol, moves, "#ifdef MONITOR", *claims, *reached, "#else",
                      "ltl any { [] (step < 2) }", "#endif", ""])  # fmt: skip


def _blocking(*, hasty: bool) -> str:
    """What blocks the run with its effect; the fault is to end a run that is being cancelled all the same."""
    blocked = "if :: sa == SA_running -> sa_block() :: else fi; r_block()"
    return f"if :: ending -> sa_cancel(); r_cancel() :: else -> {blocked} fi" if hasty else blocked


def _table(table: Lifecycle, variable: str) -> Iterator[str]:
    """The states of a lifecycle by number, the variable that holds one, and one inline a trigger."""
    names = [state["name"] for state in table["states"]]
    for number, name in enumerate(names):
        yield f"#define {variable.upper()}_{name} {number}"
    start = next(state["name"] for state in table["states"] if state["kind"] == "initial")
    yield f"byte {variable} = {f'{variable.upper()}_{start}' if variable == 'r' else 'NONE'};"
    moves, prefix = table["moves"], variable.upper()
    for trigger in dict.fromkeys(move["trigger"] for move in moves):
        options = [
            f":: {variable} == {prefix}_{move['source']} -> {variable} = {prefix}_{move['target']}"
            for move in moves
            if move["trigger"] == trigger
        ]
        yield f"inline {variable}_{trigger}() {{ if {' '.join(options)} :: else -> assert(false) fi }}"
