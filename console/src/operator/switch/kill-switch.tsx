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
  const [isAsked, setIsAsked] = useState(false)
  const isOn = stopped_since !== null
  const close = () => setIsAsked(false)
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
        <Button icon={isOn ? 'play' : 'stop'} disabledWhy={refusal} onPress={() => setIsAsked(true)}>
          {isOn ? t.turnOff : t.turnOn}
        </Button>
      </div>
      {isAsked && (
        <ActDialog
          title={isOn ? t.turnOff : t.turnOn}
          act={isOn ? t.turnOff : t.turnOn}
          perform={isOn ? turnSwitchOff : turnSwitchOn}
          onClose={close}
        >
          <p>{isOn ? t.offEffect : t.onEffect}</p>
        </ActDialog>
      )}
    </section>
  )
}
