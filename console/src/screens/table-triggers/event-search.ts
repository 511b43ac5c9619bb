import {
  type TriggerEventStatus,
  triggerEventStatuses,
} from '@sandbox-jobs/contract/resources/tables/table-trigger.ts'
import { present, valuesIn } from '../../data/search-values.ts'

/** The status of the events that are shown, as the address has it. */
export const readEventSearch = (search: Record<string, unknown>): { status?: TriggerEventStatus } =>
  present({ status: valuesIn(search.status, triggerEventStatuses)?.[0] })
