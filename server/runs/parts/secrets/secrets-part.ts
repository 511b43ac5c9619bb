import { slotNamesOf } from '../../../tasks/versions/task-version.ts'
import { isEnvName, isValidEnv, isWithinEnvBounds } from '../../model/ordinary-env.ts'
import { failed } from '../../model/run-outcome.ts'
import type { RunPart } from '../run-part.ts'
import { isPinned, outcomeOfKeys, type RunSecrets } from './run-secrets.ts'
import { type SecretsRow, secretsColumns } from './secret-terms-store.ts'

interface SecretsTools {
  /** Absent: runs of versions with slots end as `secrets_unavailable`. */
  secrets?: RunSecrets | undefined
}

/**
 * The values of the slots that the version declares. Only where it declares any are the rules of its environment checked (contract
 * part 1, "Task version").
 */
export const secretsPart: RunPart<SecretsRow, SecretsTools> = {
  name: 'secrets',
  columns: secretsColumns,
  prepare: async ({ secrets }, job, run) => {
    const slots = slotNamesOf(job.secret_slot_declarations)
    if (slots.length === 0) return undefined
    if (!slots.every(isEnvName) || !isValidEnv(job.ordinary_env, slots.length)) return failed('env_invalid')
    if (!secrets) return failed('secrets_unavailable', { detail: 'not_configured' })
    const pinned = await secrets.pin(run, slots)
    if (!isPinned(pinned)) return pinned
    const { values, written } = pinned
    if (!isWithinEnvBounds(job.ordinary_env, values)) {
      // A refused run shows what it was given.
      await written
      return failed('env_invalid', { detail: 'too_large' })
    }
    return {
      env: { secrets: values },
      masks: Object.values(values),
      recheck: () => secrets.recheck(run, pinned),
      written,
    }
  },
  endedBy: outcomeOfKeys,
}
