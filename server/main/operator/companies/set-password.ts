import { resetPassword } from '../../../companies/users.ts'
import { actOnService, type ServiceRefusal } from '../local-service.ts'

/** Sets a new random password and returns it; undefined: unknown login. */
export const setPassword = (
  login: string,
): Promise<{ ok: true; value: string | undefined } | ServiceRefusal> =>
  actOnService({ act: 'password_set', subject: login }, ({ db }) => resetPassword(db, login))
