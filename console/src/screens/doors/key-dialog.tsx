import type { DoorWithKey } from '@sandbox-jobs/contract/resources/doors/door.ts'
import { CopyField } from '../../parts/copy-field.tsx'
import { Dialog } from '../../parts/dialog.tsx'
import { useTexts } from '../../texts/texts.tsx'

/** The address and the key of a new door. The key is shown this once. */
export function KeyDialog({ door, onClose }: { door: DoorWithKey; onClose: () => void }) {
  const t = useTexts()
  return (
    <Dialog title={t.doors.made(door.name)} onClose={onClose}>
      <p>{t.doors.madeWhy}</p>
      <p>{t.doors.address}</p>
      <CopyField label={t.doors.address} value={location.origin + door.path} />
      <p>{t.doors.key}</p>
      <CopyField label={t.doors.key} value={door.door_key} />
    </Dialog>
  )
}
