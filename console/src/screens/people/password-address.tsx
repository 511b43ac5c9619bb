import type { PasswordAddress as Address } from '@sandbox-jobs/contract/resources/companies/invitation.ts'
import { useFormats, useTexts } from '../../texts/texts.tsx'
import { ShownOnce } from '../company/shown-once.tsx'

/** The address at which a person chooses a password. */
export function PasswordAddress({ made }: { made: Address }) {
  const t = useTexts()
  const formats = useFormats()
  return (
    <ShownOnce why={t.people.addressFor(made.user.login)} label={t.people.address} value={made.address}>
      <p>{t.people.addressUntil(formats.dateTime(new Date(made.expires_at)))}</p>
    </ShownOnce>
  )
}
