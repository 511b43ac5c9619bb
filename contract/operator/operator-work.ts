/** A run or a build that has not ended. */
interface Work {
  id: string
  company_id: string
  company: string
  state: string
  profile: string
  /** For which it has waited or been at work. */
  seconds: number
}

export type OperatedRun = Work

export interface OperatedBuild extends Work {
  stage: string
}

/** Those that have been there the longest first. */
interface WorkList<Item> {
  items: Item[]
  /** More than are listed. */
  is_cut: boolean
}

export interface OperatedRuns {
  active: WorkList<OperatedRun>
  waiting: WorkList<OperatedRun>
}

export interface OperatedBuilds {
  /** Until when new builds are refused; null: they are accepted. */
  refused_until: string | null
  builds: WorkList<OperatedBuild>
}
