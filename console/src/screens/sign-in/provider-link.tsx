import { signInProvider, startAtProvider } from '../../data/person/sign-in-provider.ts'
import buttons from '../../parts/button.module.css'
import { TenantText } from '../../parts/tenant-text.tsx'
import { useTexts } from '../../texts/texts.tsx'

interface Props {
  /** Path of the screen that comes after the sign-in. */
  after: string
  /** In a tab of its own, so that this page stays as it is. */
  isBeside?: boolean
}

/** The way to the identity provider; nothing where there is none. */
export function ProviderLink({ after, isBeside = false }: Props) {
  const t = useTexts()
  const provider = signInProvider()
  if (provider === undefined) return null
  const beside = isBeside ? { target: '_blank', rel: 'noopener' } : {}
  return (
    <a className={`${buttons.button} ${buttons.plain}`} href={startAtProvider(after)} {...beside}>
      <TenantText text={t.signIn.at(provider)} />
    </a>
  )
}
