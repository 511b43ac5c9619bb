/*
 * The chain of the audit log. The hash of an entry is sha256 over a JSON array: the hash of the entry before it in hex (empty
 * for the first), the company, and the fields below in this order, with a comma and a space between elements. So whoever
 * has the entries can verify them without the service that wrote them, and a changed, removed, inserted or moved entry
 * breaks the chain where it is.
 */

/** One entry as it is in an export; `at` in milliseconds since 1970, digests and hashes in hex. */
export interface ChainedEntry {
  sequence: number
  at: number
  action: string
  actor_type: string
  actor_id: string
  api_key_id: string | null
  turn_id: string | null
  request_id: string | null
  change: string
  object_type: string
  object_id: string
  chatroom_id: string | null
  run_id: string | null
  slot: string | null
  from_state: string | null
  to_state: string | null
  digest_before: string | null
  digest_after: string | null
  hash: string
}

/** A position of a chain: the number of an entry and its hash; 0 and empty before the first. */
export interface ChainPosition {
  sequence: number
  hash: string
}

export interface BrokenEntry {
  /** Number of the first entry that does not follow from what is before it. */
  sequence: number
  reason: BrokenReason
}

export type BrokenReason =
  /** Fields or hash differ from what was chained. */
  | 'changed'
  /** Entries before it are missing, or it is not in its place. */
  | 'missing'
  /** The chain ends before its head: the newest entries were removed. */
  | 'cut'
  /** The head names another hash than the entry has: the end of the chain was written again. */
  | 'head_differs'
  /** Entries at the start were removed, and no entry says that their time was over. */
  | 'start_unexplained'
  /** The newest head has no valid signature of a trusted key. */
  | 'head_unsigned'

/** Returns the digest in hex. */
export type Sha256 = (text: string) => string

/** The hash of an entry whose predecessor has the hash `before`. `companyId` is empty for the deployment's own chain. */
export const entryHash = (sha256: Sha256, before: string, companyId: string, entry: ChainedEntry): string =>
  sha256(
    `[${[
      before,
      companyId,
      entry.sequence,
      entry.at,
      entry.action,
      entry.actor_type,
      entry.actor_id,
      entry.api_key_id,
      entry.turn_id,
      entry.request_id,
      entry.change,
      entry.object_type,
      entry.object_id,
      entry.chatroom_id,
      entry.run_id,
      entry.slot,
      entry.from_state,
      entry.to_state,
      entry.digest_before,
      entry.digest_after,
    ]
      .map((value) => JSON.stringify(value))
      .join(', ')}]`,
  )

/** Checks the entries of one chain in their order, each once. */
export class ChainCheck {
  readonly #sha256: Sha256
  readonly #companyId: string
  readonly #start: ChainPosition
  /** Positions that have to be in the chain, by number. */
  readonly #expected: Map<number, string[]>
  #last: ChainPosition
  #startExplained: boolean
  #broken: BrokenEntry | undefined
  entries = 0

  /** `start`: the last entry that was removed because its time was over. `heads`: positions that somebody remembers; those before `start` cannot be checked. */
  constructor(chain: {
    sha256: Sha256
    companyId: string
    start: ChainPosition
    heads?: readonly ChainPosition[]
  }) {
    this.#sha256 = chain.sha256
    this.#companyId = chain.companyId
    this.#start = chain.start
    this.#last = chain.start
    this.#startExplained = chain.start.sequence === 0
    this.#expected = new Map()
    for (const { sequence, hash } of chain.heads ?? [])
      this.#expected.set(sequence, [...(this.#expected.get(sequence) ?? []), hash])
  }

  /** The newest position checked so far. */
  get head(): ChainPosition {
    return this.#last
  }

  get broken(): BrokenEntry | null {
    return this.#broken ?? null
  }

  add(entry: ChainedEntry): void {
    if (this.#broken) return
    this.entries += 1
    const { sequence, hash } = entry
    const reason = this.#faultOf(entry)
    if (reason) {
      this.#broken = { sequence, reason }
      return
    }
    if (entry.object_type === 'audit_log' && entry.object_id === String(this.#start.sequence))
      this.#startExplained ||= entry.digest_after === this.#start.hash
    this.#last = { sequence, hash }
  }

  #faultOf(entry: ChainedEntry): BrokenReason | undefined {
    const { sequence, hash } = entry
    if (sequence !== this.#last.sequence + 1) return 'missing'
    if (entryHash(this.#sha256, this.#last.hash, this.#companyId, entry) !== hash) return 'changed'
    return this.#differs({ sequence, hash }) ? 'head_differs' : undefined
  }

  /** After the last entry. Returns the first broken one, if any. */
  end(): BrokenEntry | null {
    this.#broken ??= this.#faultAtEnds()
    return this.broken
  }

  #faultAtEnds(): BrokenEntry | undefined {
    const { sequence } = this.#last
    if ([...this.#expected.keys()].some((at) => at > sequence))
      return { sequence: sequence + 1, reason: 'cut' }
    const start = this.#start
    if (this.#differs(start)) return { sequence: start.sequence, reason: 'head_differs' }
    return this.#startExplained ? undefined : { sequence: start.sequence + 1, reason: 'start_unexplained' }
  }

  #differs({ sequence, hash }: ChainPosition): boolean {
    return this.#expected.get(sequence)?.some((expected) => expected !== hash) ?? false
  }
}

/** The text that is signed for a head. */
export const signedHeadText = (
  companyId: string,
  { sequence, hash }: ChainPosition,
  signedAtMs: number,
): string => `sandbox-jobs audit head v1\n${JSON.stringify([companyId, sequence, hash, signedAtMs])}`
