import type { ReactNode } from 'react'
import { connection } from '../data/api.ts'
import { useStore } from '../data/store.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'

/** Sends the form around it, as long as the service answers. */
export function SubmitButton({ isBusy, children }: { isBusy: boolean; children: ReactNode }) {
  const t = useTexts()
  const isUp = useStore(connection.state).isUp
  return (
    <div>
      <Button kind="filled" type="submit" isBusy={isBusy} disabledWhy={isUp ? undefined : t.offlineWhy}>
        {children}
      </Button>
    </div>
  )
}
