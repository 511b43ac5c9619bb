import type { BrokenReason, ChainPosition } from '@sandbox-jobs/contract/audit/chain-check.ts'
import { InvalidArgumentError } from 'commander'
import { paint } from '../output/paint.ts'
import { table } from '../output/table.ts'

/** Result of the check of one log. */
export interface ShownLog {
  /** Empty: the deployment. */
  company_id: string
  entries: number
  broken: { sequence: number; reason: BrokenReason } | null
  head: ChainPosition
  signed_at: string | null
}

const meanings: Record<BrokenReason, string> = {
  changed: 'was changed',
  missing: 'is not in its place: entries before it are missing',
  cut: 'and those after it are missing: the end was cut',
  head_differs: 'is not the one that was there before: the end was written again',
  start_unexplained: 'is the first, and no entry says that the time of earlier ones was over',
  head_unsigned: 'is the newest, and the service has not signed it',
}

/** A table of the logs, then what is wrong with each. */
export function showVerified(logs: readonly ShownLog[]): string {
  const rows = logs.map(({ company_id, entries, broken, head, signed_at }) => [
    company_id === '' ? 'the deployment' : company_id,
    String(entries),
    broken ? 'BROKEN' : 'ok',
    signed_at ?? 'not yet',
    headText(head),
  ])
  const faults = logs.flatMap(({ company_id, broken }) =>
    broken
      ? [
          `${company_id === '' ? 'The deployment' : company_id}: entry ${broken.sequence} ${meanings[broken.reason]}.`,
        ]
      : [],
  )
  const verdict =
    faults.length > 0
      ? faults.map((fault) => `${paint(fault, 'red')}\n`).join('')
      : 'Keep the head: with --head it shows later that nothing before it was changed or removed.\n'
  return `${table(['LOG', 'ENTRIES', 'RESULT', 'SIGNED', 'HEAD'], rows)}${verdict}`
}

const headText = ({ sequence, hash }: ChainPosition): string => `${sequence}:${hash}`

/** Reads `SEQUENCE:HASH`. */
export function parseHead(text: string): ChainPosition {
  const found = /^(?<sequence>[1-9]\d{0,14}):(?<hash>[0-9a-f]{64})$/.exec(text)?.groups
  if (!found) throw new InvalidArgumentError('Write it as it was shown: a number, a colon, 64 hex digits.')
  return { sequence: Number(found.sequence), hash: found.hash ?? '' }
}
