import { useNow } from '../../parts/now.ts'
import { useFormats, useTexts } from '../../texts/texts.tsx'

const stepMs = 1000

/** How long something can still be decided. */
export function TimeLeft({ until }: { until: string }) {
  const t = useTexts()
  const formats = useFormats()
  const left = new Date(until).getTime() - useNow(stepMs)
  return (
    <span>
      {left > 0 ? t.inbox.expiresIn(formats.duration(Math.floor(left / stepMs) * stepMs)) : t.inbox.isExpired}
    </span>
  )
}
