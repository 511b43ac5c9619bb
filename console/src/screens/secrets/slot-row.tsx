import { useState } from 'react'
import type { Consumer } from '../../data/rooms/secrets.ts'
import { Icon } from '../../design/icon.tsx'
import { Button } from '../../parts/button.tsx'
import rows from '../../parts/row-list.module.css'
import type { Texts } from '../../texts/en.ts'
import { useTexts } from '../../texts/texts.tsx'
import type { JobSlot } from './job-slots.ts'
import { RemoveDialog } from './remove-dialog.tsx'
import styles from './secrets.module.css'
import { ValueDialog } from './value-dialog.tsx'

interface Props {
  taskId: string
  slot: JobSlot
  consumer: Consumer
}

/** One slot: whether it has a value, and how to store, replace and remove it. */
export function SlotRow({ taskId, slot, consumer }: Props) {
  const t = useTexts()
  const [open, setOpen] = useState<'value' | 'remove' | undefined>()
  const { name } = slot.slot
  const address = { ...consumer, task_id: taskId, slot_name: name }
  const close = () => setOpen(undefined)
  const { tone, text } = stateOf(slot, t.secrets)
  return (
    <li>
      <div className={rows.words}>
        <code>{name}</code>
        <span className={styles.state} data-tone={tone}>
          <Icon name={tone === 'warning' ? 'warning' : 'secret'} />
          {text}
        </span>
      </div>
      {!slot.isOwners && (
        <Button label={t.secrets.setFor(name, slot.stored !== undefined)} onPress={() => setOpen('value')}>
          {slot.stored ? t.secrets.replace : t.secrets.set}
        </Button>
      )}
      {slot.stored && (
        <Button icon="trash" label={t.secrets.removeNamed(name)} onPress={() => setOpen('remove')}>
          {t.secrets.remove}
        </Button>
      )}
      {open === 'value' && (
        <ValueDialog address={address} isReplaced={slot.stored !== undefined} onClose={close} />
      )}
      {open === 'remove' && <RemoveDialog address={address} onClose={close} />}
    </li>
  )
}

/** Whether a run gets a value, and whose. */
function stateOf(
  { slot, stored, isOwners }: JobSlot,
  t: Texts['secrets'],
): { tone: 'soft' | 'success' | 'warning'; text: string } {
  if (isOwners) {
    return slot.owner_bound
      ? { tone: 'soft', text: t.ownerSupplies }
      : { tone: 'warning', text: t.ownerMissing }
  }
  if (stored) return { tone: 'success', text: t.stored(stored.generation) }
  if (slot.effective_source === 'borrower') return { tone: 'soft', text: t.storedElsewhere }
  if (slot.effective_source === 'owner') return { tone: 'soft', text: t.ownerSupplies }
  return { tone: 'warning', text: t.missing }
}
