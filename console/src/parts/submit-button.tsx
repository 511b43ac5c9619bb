import type { ComponentProps } from 'react'
import { connection } from '../data/api/api.ts'
import { useStore } from '../data/store.ts'
import { useTexts } from '../texts/texts.tsx'
import { Button } from './button.tsx'

type Props = Pick<ComponentProps<typeof Button>, 'children' | 'icon' | 'keys' | 'disabledWhy'> & {
  isBusy: boolean
}

/** Sends the form around it, as long as the service answers. */
export function SubmitButton({ disabledWhy, ...others }: Props) {
  const t = useTexts()
  const isUp = useStore(connection.state).isUp
  return (
    <div>
      <Button {...others} kind="filled" type="submit" disabledWhy={isUp ? disabledWhy : t.offlineWhy} />
    </div>
  )
}
