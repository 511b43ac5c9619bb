/** The processes that have a log, in the order of their starts. */
export const loggedServices = [
  'supervisor',
  'database',
  'postgres',
  'agent',
  'worker',
  'builds',
  'backups',
  'api',
  'operator',
] as const
export type LoggedService = (typeof loggedServices)[number]

/** From the most lines to none. */
export const logLevels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const
export type LogLevel = (typeof logLevels)[number]

/** A line without what a tenant may have written: its message is of the program, its fields are ids, declared names and numbers. */
export interface ServiceLogLine {
  /** Null: nobody wrote when. */
  at: string | null
  service: string
  level: LogLevel
  text: string
  fields: Record<string, string | number | boolean>
}

/** At most 300 of the newest lines, the newest first. */
export interface ServiceLog {
  items: ServiceLogLine[]
}
