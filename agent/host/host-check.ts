/** One thing that the host needs to run jobs, and whether it is there. */
export interface HostCheck {
  name: string
  ok: boolean
  found: string
  /** Says what to install or configure if the check fails. */
  advice: string
}
