import type { AuditQuery } from '../../data/company/audit.ts'
import { present, textIn, timeIn } from '../../data/search-values.ts'

/** The filters of the audit log, as the address has them. Times are `YYYY-MM-DDTHH:MM` in the zone of the person. */
export interface AuditFilters {
  from?: string
  to?: string
  actor?: string
  object?: string
  action?: string
  /** A kind of object. */
  kind?: string
}

/** Filters of an address, which anybody may have written: what is no filter is left out. */
export const readAuditFilters = (search: Record<string, unknown>): AuditFilters =>
  present({
    from: timeIn(search.from),
    to: timeIn(search.to),
    actor: textIn(search.actor),
    object: textIn(search.object),
    action: textIn(search.action),
    kind: textIn(search.kind),
  })

const instant = (written: string): string => new Date(written).toISOString()

/** The same as the API takes them. */
export const queryOfAudit = ({ from, to, actor, object, action, kind }: AuditFilters): AuditQuery =>
  present({
    from: from && instant(from),
    to: to && instant(to),
    actor_id: actor,
    object_id: object,
    action,
    object_type: kind,
  })
