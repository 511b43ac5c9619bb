/**
 * The life of one kind of entity as plain data: one state column, one table of moves.
 * A terminal state has no moves.
 */
export interface StateMachine<S extends string = string> {
  name: string
  /** The state of a new row. */
  initial: S
  terminal: readonly S[]
  /** For each state, the states it may go to. */
  moves: { readonly [From in S]: readonly S[] }
}

/** Keeps the states of a machine as a literal union while checking that every move names one of them. */
export const stateMachine = <const S extends string>(machine: StateMachine<S>): StateMachine<S> => machine

export const statesOf = <S extends string>(machine: StateMachine<S>): S[] => Object.keys(machine.moves) as S[]

export const canMove = <S extends string>(machine: StateMachine<S>, from: S, to: S): boolean =>
  machine.moves[from].includes(to)

/** The states from which `to` may be reached in one move: the `any(...)` of a guarded update. */
export const sourcesOf = <S extends string>(machine: StateMachine<S>, to: S): S[] =>
  statesOf(machine).filter((from) => canMove(machine, from, to))

export const isTerminal = <S extends string>(machine: StateMachine<S>, state: S): boolean =>
  machine.terminal.includes(state)
