/** Something about the settings that the operator should know. */
export interface Finding {
  /** `problem`: the service does not start, or a part of it cannot work. `warning`: probably not intended. */
  severity: 'problem' | 'warning'
  message: string
}

export const problem = (message: string): Finding => ({ severity: 'problem', message })
export const warning = (message: string): Finding => ({ severity: 'warning', message })
