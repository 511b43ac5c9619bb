import { type LogLevel, loggedServices, logLevels } from '@sandbox-jobs/contract/operator/service-log.ts'
import { present, textIn, valuesIn } from '../../data/search-values.ts'
import type { LogSearch } from '../operator-api.ts'

/** The levels of lines: `silent` is that of a log without any. */
export const lineLevels = logLevels.filter(
  (level): level is Exclude<LogLevel, 'silent'> => level !== 'silent',
)

export const lowestLevel: LogLevel = 'info'

/** The filters in the address of the log. */
export const readLogSearch = ({ service, level, text, paused }: Record<string, unknown>) =>
  present({
    service: valuesIn(service, loggedServices)?.[0],
    level: valuesIn(level, lineLevels)?.[0],
    text: textIn(text),
    paused: paused === true ? true : undefined,
  }) satisfies LogSearch & { paused?: true }
