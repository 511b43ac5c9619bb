/**
 * The life cycle of one kind of entity as data: one state column and its allowed transitions.
 * A terminal state has no transitions.
 */
export interface StateMachine<S extends string = string> {
  name: string
  /** The state of a new row. */
  initial: S
  terminal: readonly S[]
  /** For each state, the states that may follow it. */
  transitions: { readonly [From in S]: readonly S[] }
}

/** Infers the states as a literal union and checks that every transition names one of them. */
export const stateMachine = <const S extends string>(machine: StateMachine<S>): StateMachine<S> => machine

export const statesOf = <S extends string>(machine: StateMachine<S>): S[] =>
  Object.keys(machine.transitions) as S[]

export const canTransition = <S extends string>(machine: StateMachine<S>, from: S, to: S): boolean =>
  machine.transitions[from].includes(to)

/** The states from which `to` can be reached in one transition: the `any(...)` of a guarded update. */
export const sourcesOf = <S extends string>(machine: StateMachine<S>, to: S): S[] =>
  statesOf(machine).filter((from) => canTransition(machine, from, to))

export const isTerminal = <S extends string>(machine: StateMachine<S>, state: S): boolean =>
  machine.terminal.includes(state)
