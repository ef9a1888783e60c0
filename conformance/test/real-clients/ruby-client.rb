# A client of Net::HTTP, of one of several kinds: ruby-client.rb KIND.
require 'json'
require 'net/http'
require 'time'

BASE, KEY, CATEGORY = %w[PETSTORE_BASE_URL PETSTORE_API_KEY PETSTORE_CATEGORY_ID].map { |name| ENV.fetch(name) }

def ask(path, body = nil)
  uri = URI(BASE + path)
  request = body ? Net::HTTP::Post.new(uri) : Net::HTTP::Get.new(uri)
  request['Authorization'] = "Bearer #{KEY}"
  if body
    request['Content-Type'] = 'application/json'
    request.body = body
  end
  Net::HTTP.start(uri.hostname, uri.port) { |http| http.request(request) }
end

def patiently(path, body = nil)
  6.times do |attempt|
    answer = ask(path, body)
    if answer.code != '429'
      left = answer['X-RateLimit-Reset'].to_i - Time.now.to_f
      sleep left if answer['X-RateLimit-Remaining'] == '0' && left.positive?
      return answer
    end
    asked = answer['Retry-After']
    wait = asked.match?(/\A\d+\z/) ? asked.to_i : Time.httpdate(asked) - Time.now
    sleep([wait, 0].max + 0.15 * 2**attempt)
  end
  raise 'refused'
end

def pet(name) = %({"name":"#{name}","categoryId":#{CATEGORY},"status":"available"})

# A class whose constructor takes the listed fields and no others.
Pet = Struct.new(:id, :name, :categoryId, :status, keyword_init: true)

def create_and_list(how)
  raise 'not created' if method(how).call('/pets', pet('Rex')).code != '201'
  page = JSON.parse(method(how).call('/pets?status=available&limit=50').body)
  raise 'another status' unless page.all? { |one| one['status'] == 'available' }
  page
end

case ARGV[0]
when 'careful' then create_and_list(:patiently)
when 'defaults' then create_and_list(:ask)
when 'struct' then create_and_list(:patiently).each { |one| Pet.new(**one) }
when 'by-id'
  id = JSON.parse(patiently('/pets', pet('Rex')).body)['id']
  raise 'another status' unless %w[200 404].include?(patiently("/pets/#{id}").code)
when 'oldest-first'
  ids = %w[Rex Tom].map { |name| JSON.parse(patiently('/pets', pet(name)).body)['id'] }
  listed = JSON.parse(patiently('/pets?limit=100').body).map { |one| one['id'] } & ids
  raise 'not the oldest first' if listed.length == 2 && listed != ids
end
