import { join } from 'node:path'
import { readConfig } from '../../../base/config/config.ts'
import { traceLogs } from '../../../operations/trace/trace-logs.ts'
import { traceRows } from '../../../operations/trace/trace-rows.ts'
import type { Traced } from '../../../operations/trace/traced.ts'
import { onLocalService, refusalOf, type ServiceRefusal } from '../local-service.ts'

const linesOfFileMax = 1000
const relatedMax = 20

export interface Trace {
  /** In the order of time. */
  entries: Traced[]
  /** Why something may be missing. */
  remarks: string[]
}

/** The history of a request, a run or a build, by its id: from the logs alone where the database does not answer. */
export async function traceId(
  id: string,
): Promise<
  { ok: true; value: Trace } | ServiceRefusal | { ok: false; cause: 'request'; problems: string[] }
> {
  if (!/^((run|bld)_)?[0-9a-f]{32}$/.test(id)) return { ok: false, cause: 'request', problems: [form] }
  const own = await logsOf(id)
  if (!own.ok) return own
  const rows = await onLocalService(({ db }) => traceRows(db, id, own.value.found))
  const traced = rows.ok ? rows.value : []
  const related = await Promise.all(relatedIds(id, traced).map(logsOf))
  const logs = [own, ...related].flatMap((each) => (each.ok ? [each.value] : []))
  const remarks = [
    ...(logs.some(({ isCut }) => isCut)
      ? [`More than ${linesOfFileMax} lines of a log file name an id: the newest are shown.`]
      : []),
    ...(rows.ok ? [] : rows.problems),
  ]
  const entries = [...logs.flatMap(({ found }) => found), ...traced]
  // A line may name several of the ids.
  const distinct = [...new Map(entries.map((entry) => [JSON.stringify(entry), entry])).values()]
  return { ok: true, value: { entries: distinct.toSorted((a, b) => timeOf(a) - timeOf(b)), remarks } }
}

/** Ids under which the logs have more: of sandboxes, and of what a request made. */
function relatedIds(id: string, traced: readonly Traced[]): string[] {
  const ids = traced.flatMap(({ fields }) => [fields.run, fields.attempt, fields.sandbox]).map(String)
  return [...new Set(ids)].filter((one) => one !== 'undefined' && one !== id).slice(0, relatedMax)
}

const form =
  'The id of a request has 32 hex digits; that of a run begins with run_, that of a build attempt with bld_.'

const timeOf = ({ at }: Traced): number => at?.getTime() ?? 0

async function logsOf(
  id: string,
): Promise<{ ok: true; value: Awaited<ReturnType<typeof traceLogs>> } | ServiceRefusal> {
  try {
    return { ok: true, value: await traceLogs(join(readConfig().dataDir, 'logs'), id, linesOfFileMax) }
  } catch (error) {
    const isAbsent = error instanceof Error && 'code' in error && error.code === 'ENOENT'
    return isAbsent ? { ok: true, value: { found: [], isCut: false } } : refusalOf(error)
  }
}
