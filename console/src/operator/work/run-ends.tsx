import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { shortId } from '../../parts/id-text.tsx'
import { ActDialog, useActRefusal } from '../act-dialog.tsx'
import { emptyQueue, endRun } from '../operator-api.ts'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

/** Asks for the end of one run. */
export function EndButton({ id, onPress }: { id: string; onPress: () => void }) {
  const t = useOperatorTexts().work
  const disabledWhy = useActRefusal()
  return (
    <Button label={t.endRun(shortId(id))} disabledWhy={disabledWhy} onPress={onPress}>
      {t.end}
    </Button>
  )
}

/** Ends one run. */
export function EndRun({ id, onClose }: { id: string; onClose: () => void }) {
  const t = useOperatorTexts().work
  return (
    <ActDialog
      title={t.endRun(shortId(id))}
      act={t.end}
      perform={(reason) => endRun(id, reason)}
      onClose={onClose}
    >
      <p>{t.endEffect}</p>
    </ActDialog>
  )
}

/** Ends the runs of a company that wait. */
export function EmptyQueue({ company }: { company: string }) {
  const t = useOperatorTexts().work
  const disabledWhy = useActRefusal()
  const [isOpen, setIsOpen] = useState(false)
  return (
    <>
      <Button icon="stop" disabledWhy={disabledWhy} onPress={() => setIsOpen(true)}>
        {t.emptyQueue}
      </Button>
      {isOpen && (
        <ActDialog
          title={t.emptyQueue}
          act={t.emptyQueue}
          perform={(reason) => emptyQueue(company, reason)}
          onClose={() => setIsOpen(false)}
        >
          <p>{t.emptyEffect}</p>
        </ActDialog>
      )}
    </>
  )
}
