import { useFormats } from '../texts/texts.tsx'

/** A time that may be ahead, with the exact time as its title. */
export function DateTime({ at }: { at: string }) {
  const formats = useFormats()
  const date = new Date(at)
  return (
    <time dateTime={at} title={formats.exactTime(date)}>
      {formats.dateTime(date)}
    </time>
  )
}
