import type { Executing } from '../../db/database.ts'
import type { WrappingKeys } from '../keys/wrapping-keys.ts'
import { openSealed } from '../store/sealed-value.ts'
import { findValues } from '../store/secret-value-store.ts'
import type { SlotPin, SlotTerms } from './slot-resolution.ts'

/** Key services get no more questions at once for one run. */
const openedAtOnce = 8

/**
 * The values of exactly these secrets by slot; undefined when one of them is no longer stored in its generation. Only the worker
 * decrypts them. Throws `KeysUnavailable`, `ValueDamaged`.
 */
export async function openSecrets(
  { db, keys }: { db: Executing; keys: WrappingKeys },
  { companyId, taskId }: Pick<SlotTerms, 'companyId' | 'taskId'>,
  pins: Readonly<Record<string, SlotPin>>,
): Promise<Record<string, string> | undefined> {
  const slots = Object.entries(pins)
  const wanted = slots.map(([, { secretId, generation }]) => ({ bindingId: secretId, generation }))
  const stored = await findValues(db, companyId, wanted)
  const values: Record<string, string> = {}
  for (let at = 0; at < slots.length; at += openedAtOnce) {
    const opened = await Promise.all(
      slots.slice(at, at + openedAtOnce).map(async ([slotName, pin]) => {
        const sealed = stored.get(pin.secretId)
        const reference = { companyId, taskId, slotName, ...consumerOf(pin) }
        return { slotName, value: sealed && (await openSealed(keys, reference, sealed)) }
      }),
    )
    for (const { slotName, value } of opened) {
      if (!value) return undefined
      values[slotName] = value.toString('utf8')
      value.fill(0)
    }
  }
  return values
}

const consumerOf = ({ consumerScope, consumerId, generation }: SlotPin) => ({
  consumerScope,
  consumerId,
  generation,
})
