export { ApiKey, ApiKeyCreated, ApiKeyCreateRequest, ApiKeyList } from './api-key.ts'
export { Me } from './me.ts'
export { OwnAccount, PasswordChangeRequest, Preferences, PreferencesUpdateRequest } from './own-account.ts'
export { OwnCredential } from './own-credential.ts'
export { PublicKey } from './public-key.ts'
export {
  SignIn,
  SignInList,
  SignInProvider,
  SignInRequest,
  SignInsEnded,
  SignInsEndRequest,
} from './sign-in.ts'
export { Token, TokenRequest } from './token.ts'
