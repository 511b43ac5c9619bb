import { type Config, settings } from '../../../base/config/config.ts'

export interface PublicSetting {
  name: string
  value: string | null
  is_default: boolean
}

const databases = /^(postgres|postgresql):$/

/** All settings. Of an address neither login nor query is shown, of a database only where it is; of a file its path. */
export const publicSettings = (config: Config): PublicSetting[] =>
  Object.entries(settings).map(([key, setting]) => {
    const value = config[key as keyof Config]
    return {
      name: setting.env,
      value: value === undefined ? null : publicValue(String(value)),
      is_default: String(value) === String(setting.fallback(config)),
    }
  })

function publicValue(value: string): string {
  if (!/^[a-z]+:\/\//.test(value)) return value
  if (!URL.canParse(value)) return 'an address'
  const { protocol, host, pathname } = new URL(value)
  return `${protocol}//${host}${databases.test(protocol) || pathname === '/' ? '' : pathname}`
}
