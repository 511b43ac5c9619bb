import { CliError, exitCodes } from '../../../failure.ts'

interface FormerLive {
  what?: 'key' | 'pepper'
  hint: string
  code: string
}

/** A rotation is refused while the key from before the last one is live. */
export const formerLive = ({ what = 'key', hint, code }: FormerLive): CliError =>
  new CliError(`The ${what} from before the last rotation is still live.`, {
    hint,
    code,
    exitCode: exitCodes.failed,
  })
