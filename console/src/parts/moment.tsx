import { useFormats } from '../texts/texts.tsx'
import { useNow } from './now.ts'

const stepMs = 10_000

/** A time, relative for a day, with the exact time as its title. */
export function Moment({ at }: { at: string }) {
  const formats = useFormats()
  const now = useNow(stepMs)
  const date = new Date(at)
  return (
    <time dateTime={at} title={formats.exactTime(date)}>
      {formats.when(date, Math.max(now, date.getTime()))}
    </time>
  )
}
