import { type Static, Type } from 'typebox'
import { about } from '../../about.ts'
import { consoleLanguages, consoleThemes } from '../../console-look.ts'
import { Nullable, OneOf, Strict } from '../../schema.ts'
import { Password } from '../companies/user.ts'
import { Me } from './me.ts'

/** Of a name of the IANA time zone database. */
export const timeZonePattern = '^[A-Za-z0-9_+/-]+$'

/** How the console looks and behaves for one person. */
const preferences = {
  language: about('Language; null: that of the browser.', Nullable(OneOf(consoleLanguages)), 'de'),
  time_zone: about(
    'Time zone by its name in the IANA database; null: that of the browser.',
    Nullable(Type.String({ minLength: 1, maxLength: 64, pattern: timeZonePattern })),
    'Asia/Taipei',
  ),
  theme: about('Colours; `system`: those of the browser.', OneOf(consoleThemes), 'system'),
  single_keys: about('Whether keys alone act, such as `j` and `k`.', Type.Boolean(), true),
  log_wrap: about('Whether long lines of logs are wrapped.', Type.Boolean(), false),
}
export const Preferences = Type.Object(preferences)
export type Preferences = Static<typeof Preferences>
export const PreferencesUpdateRequest = Strict(preferences)
export type PreferencesUpdateRequest = Static<typeof PreferencesUpdateRequest>

/** The caller, with what a user interface shows of them. */
export const OwnAccount = Type.Object({
  ...Me.properties,
  login: about('Login name.', Type.String(), 'ada'),
  display_name: about('Name as people see it.', Type.String(), 'Ada'),
  company_name: about('Name of the company.', Type.String(), 'Example Ltd'),
  has_password: about('Whether the person logs in with a password of this service.', Type.Boolean(), true),
  preferences: about('How the console looks and behaves for the person.', Preferences),
  version: about('Version of the service.', Type.String(), '1.4.0'),
})
export type OwnAccount = Static<typeof OwnAccount>

export const PasswordChangeRequest = Strict({
  current: about(
    'The password so far.',
    Type.String({ minLength: 1, maxLength: 256 }),
    'correct horse battery',
  ),
  password: about('The new one, 12 to 256 characters.', Password, 'staple correct horse'),
})
export type PasswordChangeRequest = Static<typeof PasswordChangeRequest>
