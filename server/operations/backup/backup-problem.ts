/** Why a backup or restore is refused or failed. The message is for the operator. */
export class BackupProblem extends Error {
  readonly problems: string[]

  constructor(...problems: string[]) {
    super(problems.join('\n'))
    this.name = 'BackupProblem'
    this.problems = problems
  }
}
