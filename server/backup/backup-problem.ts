/** Why a backup or a restore is not done; the message is for the operator. */
export class BackupProblem extends Error {
  readonly problems: string[]

  constructor(...problems: string[]) {
    super(problems.join('\n'))
    this.name = 'BackupProblem'
    this.problems = problems
  }
}
