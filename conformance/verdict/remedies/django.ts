/** Remedies in Django with its REST framework. Each was tried: the requirement failed before, and held after. */

import { keyLookup } from './python.ts';
import type { RemediesOfStack } from './remedy.ts';

export const inDjango: RemediesOfStack = {
  'headers-missing': {
    advice: 'Count in the first middleware; a throttle class does not see a 401 or an unknown path:',
    code: [
      'class RateLimit(MiddlewareMixin):',
      '    def process_request(self, request): return count(request)',
      '    def process_response(self, request, response):',
      '        for name, value in request.rate.items(): response["X-RateLimit-" + name] = value',
      '        return response',
    ],
  },
  'values-converted': {
    advice: 'CharField and IntegerField convert; look at what was sent in `validate`:',
    code: [
      'def validate(self, valid):',
      '    name, number = self.initial_data["name"], self.initial_data["categoryId"]',
      '    if type(name) is not str or type(number) is not int or not -2**63 <= number < 2**63:',
      '        raise serializers.ValidationError("name must be a string, categoryId an int64")',
      '    return valid',
    ],
  },
  'null-omitted': {
    advice: 'Give the field a default, and leave `allow_null` out:',
    code: ['status = serializers.ChoiceField(["available", "pending", "sold"], default="available")'],
  },
  'body-before-key': {
    advice: 'Name both classes in REST_FRAMEWORK: they run before `request.data` parses the body.',
    code: [
      '"DEFAULT_AUTHENTICATION_CLASSES": ["limits.KeyAuthentication"],',
      '"DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],',
    ],
  },
  'key-lookup': keyLookup,
  'broken-body': {
    advice: 'Let a serializer look at `request.data`: it may be a list, a text or None.',
    code: ['serializer = PetSerializer(data=request.data)', 'serializer.is_valid(raise_exception=True)'],
  },
  'unusual-text': {
    advice: 'Catch what a JSONParser lets through for deep nesting, in a subclass of it:',
    code: [
      'def parse(self, *args, **kwargs):',
      '    try:',
      '        return super().parse(*args, **kwargs)',
      '    except RecursionError:',
      '        raise exceptions.ParseError("Nested too deeply")',
    ],
  },
  'framework-errors': {
    advice: 'Set EXCEPTION_HANDLER, and for unknown paths the `handler404` of Django:',
    code: [
      'def exception_handler(exc, context):',
      '    response = views.exception_handler(exc, context)',
      '    if response is not None:',
      '        response.data = {"code": "error", "message": str(exc), "status": response.status_code}',
      '    return response',
    ],
  },
  'names-trimmed': {
    advice: 'CharField trims unless it is told not to:',
    code: ['name = serializers.CharField(trim_whitespace=False)'],
  },
  'page-limit': {
    advice: 'Read limit with its default, and refuse what is outside before the query:',
    code: [
      'text = request.query_params.get("limit", "20")',
      'if not text.isascii() or not text.isdigit() or not 1 <= int(text) <= 100:',
      '    raise exceptions.ValidationError("limit must be an integer from 1 to 100")',
    ],
  },
  'limit-answers': {
    advice: 'Count by key, not by path, and send Retry-After with the 429:',
    code: [
      'who = key or request.META["REMOTE_ADDR"]',
      'body = {"code": "throttled", "message": "Too many requests", "status": 429}',
      'response = JsonResponse(body, status=429)',
      'response["Retry-After"] = wait',
      'return response',
    ],
  },
};
