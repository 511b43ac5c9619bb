import type pg from 'pg'
import { currentAudit } from '../base/current-request.ts'

/*
 * The triggers of the audit log read who acts from a setting of the connection. It is sent before a statement that may
 * change rows, only where it differs from what the connection has: reads never wait for it, and neither do the batches of
 * submissions, which state who acts in each row.
 */

const changes =
  /^\s*(?:begin|start transaction|savepoint)\b|\b(?:insert\s+into|update|delete\s+from|merge\s+into)\b/i
const textsMax = 2000
const known = new Map<string, boolean>()

/** Whether a statement may change rows, or starts a transaction that may. */
function mayChange(text: string): boolean {
  const found = known.get(text)
  if (found !== undefined) return found
  const may = changes.test(text)
  if (known.size < textsMax) known.set(text, may)
  return may
}

/** Makes a connection carry who acts. */
export function carryAudit(client: Pick<pg.ClientBase, 'query'>): void {
  const query = client.query.bind(client) as (...given: unknown[]) => unknown
  let carried: string | undefined = ''
  const carrying = (...given: unknown[]) => {
    const [text] = given
    if (typeof text !== 'string') return query(...given)
    const wanted = currentAudit()
    if (wanted !== carried && mayChange(text)) {
      carried = wanted
      const set = query("select set_config('sandbox_jobs.audit', $1, false)", [wanted]) as Promise<unknown>
      // The statement itself fails for the same reason, and its caller sees it.
      set.catch(() => {
        carried = undefined
      })
    }
    // A rollback undoes a setting that was made in its transaction.
    if (text.startsWith('rollback')) carried = undefined
    return query(...given)
  }
  client.query = carrying as typeof client.query
}
