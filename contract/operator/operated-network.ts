/** The connections of a company's runs. */
export interface CompanyTraffic {
  company_id: string
  company: string
  received_bytes: number
  sent_bytes: number
  /** Runs with a refused connection, as long as their content is kept. */
  refused_runs: number
}

export interface OperatedNetwork {
  /** Traffic is that of runs queued from this day on, UTC. */
  since: string
  /** Those that sent the most first. */
  companies: CompanyTraffic[]
  /** More than are listed. */
  is_cut: boolean
}
