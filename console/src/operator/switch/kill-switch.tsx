import type { OperatorState } from '@sandbox-jobs/contract/operator/operator-state.ts'
import { useState } from 'react'
import { Button } from '../../parts/button.tsx'
import { DateTime } from '../../parts/date-time.tsx'
import { ActDialog, useActRefusal } from '../act-dialog.tsx'
import { turnSwitchOff, turnSwitchOn } from '../operator-api.ts'
import styles from '../overview.module.css'
import { useOperatorTexts } from '../texts/operator-texts.tsx'

/** Refuses all changes of all companies, and accepts them again. */
export function KillSwitch({ state: { enabled, stopped_since } }: { state: OperatorState }) {
  const t = useOperatorTexts().killSwitch
  const refusal = useActRefusal()
  /** The act that was asked for. It stays that one while another operator turns the switch. */
  const [open, setOpen] = useState<'on' | 'off'>()
  const isOn = stopped_since !== null
  const close = () => setOpen(undefined)
  return (
    <section className={styles.part}>
      <h2>{t.title}</h2>
      <p>
        {isOn ? (
          <>
            {t.on} <DateTime at={stopped_since} />
          </>
        ) : (
          t.off
        )}
      </p>
      {!enabled && <p>{t.bySetting}</p>}
      <div>
        <Button
          icon={isOn ? 'play' : 'stop'}
          disabledWhy={refusal}
          onPress={() => setOpen(isOn ? 'off' : 'on')}
        >
          {isOn ? t.turnOff : t.turnOn}
        </Button>
      </div>
      {open === 'on' && (
        <ActDialog title={t.turnOn} act={t.turnOn} perform={turnSwitchOn} onClose={close}>
          <p>{t.onEffect}</p>
        </ActDialog>
      )}
      {open === 'off' && (
        <ActDialog title={t.turnOff} act={t.turnOff} perform={turnSwitchOff} onClose={close}>
          <p>{t.offEffect}</p>
        </ActDialog>
      )}
    </section>
  )
}
