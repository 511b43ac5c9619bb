/** One thing that happened to a request, a run or a build. */
export interface Traced {
  /** Undefined: nobody wrote when. */
  at: Date | undefined
  /** The log or the table that has it. */
  source: string
  text: string
  fields: Record<string, string | number | boolean>
}
