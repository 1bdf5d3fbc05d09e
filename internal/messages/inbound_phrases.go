package messages

import (
	"regexp"
	"slipway/internal/vocab/lazy"
	"strings"
	"sync"
)

// Keywords that count if they are the whole message. They are plain: lower case,
// no accents, no punctuation.
var (
	stopWords = []string{
		"stop", "stopall", "stop all", "quit", "end", "revoke", "opt out", "optout", "cancel", "unsubscribe",
		"unsub", "un subscribe", "st0p", "5top", "stp", "stahp", "stopit", "stop it", "stop this", "stop that", "quit it",
		"stop everything",
		"stop2end", "stop 2 end", "stop to end", "text stop", "reply stop", "opt me out", "optmeout", "remove",
		"remove me", "go away", "get lost",
		"unfollow", "no texts", "no texting", "no messages", "no contact", "no more", "do not call", "dont call",
		"do not contact", "do not text",
		"dnc", "cease", "cease and desist", "desist", "enough already", "stop stop", "not opted in", "buzz off",
		"knock it off", "cut it out",
		"basta", "basta ya", "ya basta", "alto", "alto ya", "parar", "pare", "paren", "para", "para ya", "pare ya",
		"detener", "detente", "detengase",
		"cancelar", "baja", "salir", "no mas", "suspender", "desuscribir", "desuscribirme", "eliminar", "fin", "termina",
		"terminar",
		"arret", "arrete", "arretez", "arreter", "arretez ca", "arrete ca", "stopper", "stoppez", "desabonner",
		"desabonnement", "desinscrire", "desinscription",
		"annuler", "ca suffit", "assez", "cessez", "fiche moi la paix",
		"parem", "pare com isso", "parem com isso", "chega", "cancele", "cancela", "sair", "remover", "descadastrar",
		"descadastro", "encerrar", "remova me",
	}
	plainStops = []string{"stop", "stopp", "stopall", "unsubscribe", "unsub", "optout", "basta", "arret", "arrete", "arretez"}
	startWords = []string{"start", "unstop"}
	helpWords  = []string{"help", "info"}
)

// fillers are words around a keyword that don't change it: "ok stop", "STOP
// please".
var fillers = strings.Fields(`please pls plz ok okay kindly now thanks thank you thx just hi hello hey hola bonjour ola sir guys already
	immediately asap today favor por svp sil vous te plait merci gracias obrigado obrigada omg wtf lol ya dude man again`)

// subjects come before "stop texting" if the sender is not asking us to stop.
var subjects = strings.Fields("i ill we well he she they will wont dont never not didnt")

// Words for what the dealership sends, in each language.
const (
	nouns = `(?:texts?|messages?|msgs?|txts?|sms|emails?|e mails?|mails?|mailings?|calls|robocalls|spam|spamming|updates|alerts|` +
		`notifications|promos?|` +
		`promotions?|ads|marketing|newsletters?|solicitations?|communications?|correspondence|contact|reminders|junk|nonsense|crap)`
	esNouns = `(?:mensajes?|mensajitos|textos?|correos?|emails?|sms|publicidad|promociones|anuncios|llamadas|notificaciones|` +
		`spam|propaganda|nada)`
	frNouns = `(?:messages?|textos?|sms|courriels?|emails?|mails?|publicites?|pubs?|promotions?|offres|notifications|spams?|` +
		`appels|sollicitations?)`
	ptNouns = `(?:mensagens|mensagem|textos?|sms|emails?|e mails?|propagandas?|publicidade|promocoes|anuncios|ligacoes|` +
		`notificacoes|spam|nada|contatos?|contactos?)`
)

// ceasing is "stop texting me" and "stop these messages". See subjects.
var ceasing = lazy.Regexp(`\b(?:stop|quit|cease|discontinue|halt|refrain)\b(?: (?:and|desist|from|with|all|of|the|` +
	`these|those|this|your|any|more|further|ever|` +
	`me|us|please|immediately|now|to|that|damn|fucking|freaking|stupid|annoying|constant|daily))* (?:` + nouns +
	`|texting|txting|txtn|messaging|sending|contacting|emailing|e mailing|mailing|calling (?:me|us|or|and|this|my)|calling$|` +
	`writing (?:me|us|to me)|writing$|bothering|` +
	`bugging|annoying|harassing|pestering|reaching out|hitting me up|blowing up my|receiving|getting (?:these|your|texts|messages))\b`)

// stopSentences are opt-outs anywhere in a message.
var stopSentences = compile(
	// English
	`\b(?:do not|dont|dnt|never|no longer|not|didnt|doesnt) (?:want|wanna|wish|care|need|like|agree|consent|ask|subscribe|`+
		`sign up|opt in)(?: (?:to|for|any|of|more|the|these|`+
		`those|your|you|u|receive|receiving|get|getting|be|hear|further|all|this|him|her|them|me|being|sent|sending|anymore|having|`+
		`have|on|such|stupid|promotional|daily|marketing)){0,6} (?:`+
		nouns+`|texted|messaged|emailed|contacted|called|bothered|spammed|solicited|subscribed|from you|text me|contact me|`+
		`message me|email me|list)\b`,
	`\b(?:do not|dont|dnt|never|cannot|may not|must not|you may no longer|can you not) (?:ever |please |you |u |keep |be |`+
		`dare )*(?:text|txt|message|msg|contact|email|write|sms|texting|messaging|`+
		`contacting|emailing)(?:ing)?(?: (?:or|and|nor) \w+)*(?: (?:me|us|to me|this number|this phone|my phone|my number|my cell|`+
		`at this|again|any|anymore|ever|please)\b|$)`,
	`\b(?:do not|dont|never) call(?: me| us)? (?:or|and|nor) (?:text|message|email|contact)\b`,
	`\b(?:do not|dont|never) (?:ever )?(?:call|contact)(?: me| us| this number)? (?:again|any ?more|ever|list)\b`,
	`\b(?:do not|dont|never) (?:ever )?send (?:me |us )?(?:any |more |anymore |further |these |this |those |your |`+
		`another )*`+nouns+`\b`,
	`\b(?:no more|no further|enough with the|enough with these|enough of the|enough of these|enough of your|enough|sick of|`+
		`tired of|fed up with) (?:of )?(?:the |these |those |this |your |any |damn )*(?:texts|messages|msgs|`+
		`texting|messaging|txts|sms|emails|spam|marketing|promos|promotions|contact|calls|notifications)\b`,
	`\bno more (?:please|pls|thanks|thank you|of these|of this)\b|\bno (?:texts|messages|texting|texts or calls|marketing) please\b`,
	`\b(?:remove|take|delete|erase|scrub|drop|unlist|strike|cross) (?:me|us|my name|my number|my phone number|my phone|my cell|`+
		`my email|my email address|my contact|`+
		`my contacts|my info|my information|my contact info|my contact information|my data|this number|this phone|`+
		`this phone number|my details)(?: off| from| out of| please| now| asap| immediately| and|$)`,
	`\b(?:get|pull) (?:me|us) off (?:of )?(?:your|this|the|that|all)(?: \w+)? lists?\b`,
	`\b(?:lose|forget|delete|block|remove|erase|drop) (?:my|this) (?:number|phone|contact|info|email)\b|\b(?:blocking|blocked|`+
		`reporting|reported) (?:you|u|this number)\b|\breport you\b`,
	`\b(?:withdraw|withdrawing|revoke|revoking|rescind|rescinding|retract|retracting|cancel|cancelling|canceling|terminate|`+
		`pull) (?:all |any |of )*(?:my |the |our )?(?:prior |previous |express |sms |text )*`+
		`(?:consent|permission|authorization|opt in|subscription|text subscription)\b|\brevoke consent\b|\bconsent (?:is |`+
		`has been |was )?(?:hereby )?(?:withdrawn|revoked)\b`,
	`\bopt(?:ing|ed)? (?:me |us |my number |this number )?out\b`,
	`\bunsub(?:scribe)? (?:me|us|this|my|from|please|pls|now|thanks)\b|\b(?:to|please|pls|can i|do i|me) unsub(?:scribe)?\b|`+
		`\bunsubscribe unsubscribe\b`,
	`\bwrong (?:number|person|phone)\b.*\b(?:remove|delete|erase|take (?:it|me|this) off)\b|\b(?:remove|delete|erase)\b.*\bwrong (?:number|person|phone)\b|`+
		`\b(?:please|pls|plz|kindly) remove(?: thanks| thank you)?$`,
	`\bleave (?:me|us) alone\b|\blet me be\b|\b(?:lose|loose) my (?:number|digits)\b|\bf(?:uck)? off\b|\bpiss off\b|`+
		`\btake a hint\b|\bcease and desist\b`,
	`\b(?:never|did not|didnt) (?:sign(?:ed)? up|subscribed?|consent(?:ed)?|opt(?:ed)? in|agreed?|ask(?:ed)?) (?:for|to|`+
		`in)\b(?: \w+){0,3} (?:this|these|that|texts|messages|it|you|marketing)\b`,
	`\bnever gave (?:you )?(?:my )?(?:permission|consent|number)\b|\bnot (?:allowed|authorized|permitted) to (?:text|contact|`+
		`message|call)\b|\bno (?:consent|permission) to (?:text|contact|message)\b`,
	`\b(?:make|want|need|like) (?:it|this|these|them|you|u|yall)(?: all)?(?: to)? stop\b(?:$| (?:now|please|texting|`+
		`immediately))|\bturn off (?:these|the|your|all) `+nouns+`\b`,
	`\b(?:end|cancel|discontinue|terminate) (?:all |the |these |this |your |my |any )*(?:texts|messages|text messages|sms|`+
		`emails|subscription|communications?|alerts|notifications)\b`,
	`\bmarketing (?:texts?|messages?) (?:must|should|need to|have to) (?:stop|end|cease)\b|\b(?:texts|messages) (?:must|should|`+
		`need to|have to|got to|gotta) (?:stop|end|cease)\b`,

	// Spanish
	`\b(?:deja|deje|dejen|dejar|deben dejar|para|pare|paren|parar|cesa|cese|cesen|basta|alto) (?:ya )?(?:de|con|a)(?: los| las|`+
		` el| tus| sus| tantos| estar)*(?: me| nos)? (?:envia\w*|manda\w*|escrib\w*|contacta\w*|llama\w*|molesta\w*|`+
		`textea\w*|acosa\w*|`+esNouns+`)\b`,
	`\bno (?:me |nos )?(?:vuelva[ns]? a )?(?:escriba[ns]?|escribir\w*|contacte[ns]?|contactar\w*|moleste[ns]?|molestar\w*|`+
		`texte\w+)(?: mas| nunca| por favor| a este| al| otra| jamas| ya|$)`,
	`\bno (?:me |nos )?(?:vuelva[ns]? a )?(?:envie[ns]?|enviar\w*|mande[ns]?|mandar\w*)(?: mas| ya| ningun| estos| tantos| esos|`+
		` sus)* `+esNouns+`\b|\bno (?:me )?(?:envie[ns]?|mande[ns]?) mas\b`,
	`\bno me llame[ns]? (?:mas|ni|nunca)\b`,
	`\bno (?:quiero|deseo|queremos|necesito|quisiera|autorizo|acepto)(?: (?:que|me|mas|recibir|sus|tus|estos|esos|los|las|`+
		`ningun|ninguno|de|mande|manden|envien|envie|ser|seguir|recibiendo|ya|su)){0,6} (?:`+
		esNouns+`|contacten?|escriban?|contactado|contactada|molesten?|llamen)\b`,
	`\b(?:quit\w*|borr\w*|elimin\w*|saca\w*|saque\w*|remuev\w*|retir\w*)(?: \w+){0,3} (?:lista|mi numero|mi correo|mi telefono|`+
		`mis datos)\b|\b(?:quit|borr|elimin|saqu|sac)[ae]n?me\b(?: de (?:la|su|tu|esta|aqui|ahi))?`,
	`\b(?:dar|darme|dame|deme|denme|darse) de baja\b|\b(?:cancel\w*|anul\w*) (?:la |mi )*suscripcion\b|\bdesuscrib\w+|`+
		`\bdejen?me en paz\b|\bdeje(?:n)?me tranquil[oa]\b`,
	`\b(?:retiro|revoco|retirar|revocar|cancelo) mi (?:consentimiento|permiso|autorizacion)\b|\bno (?:doy|`+
		`di) (?:mi )?(?:consentimiento|permiso)\b`,
	`\bno mas (?:`+esNouns+`|por favor|gracias)\b`,

	// French
	`\b(?:arrete[rz]?|arretez|cesse[rz]?|stoppez|stop)(?: de| d| avec| svp| a| les| ces| vos| tes| tous| m| me| nous| ce| cet|`+
		` immediatement)* (?:[dm]?envo\w+|[dm]?ecrire|contacter|texter|[dm]?appeler|harceler|`+frNouns+
		`|derange[rz]?|[dm]?importuner|solliciter|[dm]?embeter)\b`,
	`\b(?:ne (?:m |me |nous )?m?|n|m)(?:envoyez|envoie|envoyer|ecrivez|ecris|ecrire|contactez|contacte|contacter|textez|texte|`+
		`texter|appelez|appelle|derangez|derange|sollicitez)(?: moi)? (?:plus|jamais)\b`,
	`\bne plus (?:m |me |nous )?m?(?:ecrire|envoyer|contacter|texter|appeler|deranger|solliciter|recevoir)\b`,
	`\b(?:ne|n) m?envoyez pas (?:de|d|dautres|vos|ces) ?(?:autres )?`+frNouns+`\b`,
	`\b(?:veux|souhaite|desire|voudrais|veut|souhaitons|voulons) (?:plus|pas)(?: (?:de|d|des|recevoir|vos|ces|tes|aucun|etre|`+
		`que|vous|me|m|avoir)){0,4} (?:`+frNouns+`|contactee?|derangee?|sollicitee?|ecriviez|contactiez)\b`,
	`\b(?:retire[rz]?|enleve[rz]?|supprime[rz]?|efface[rz]?|raye[rz]?|ote[rz]?|oublie[rz]?)(?: moi (?:de|des)\b| mon (?:numero|`+
		`nom|adresse|courriel|email)| ce numero| mes coordonnees| mes donnees)`,
	`\bdes(?:abonn|inscri)\w*|\b(?:retire|revoque|annule|retirer|revoquer) mon (?:consentement|accord|autorisation|abonnement)\b`,
	`\b(?:laissez?|fichez?|foutez?) (?:moi|nous) (?:tranquille|en paix|la paix)\b|^(?:\w+ )?plus de `+frNouns+`(?: svp| merci|`+
		` sil vous plait)?$|\bassez de (?:vos |ces )?`+frNouns+`\b`,

	// Portuguese
	`\b(?:pare|parem|para|parar|deixe|deixem|deixa|cesse|cessem|chega)(?: por favor)? (?:de|com)(?: me| nos| as| os| essas|`+
		` esses| estas| suas| tantas| ficar)*(?: me)? (?:envi\w+|mand\w+|escrev\w+|conta\w+|`+
		`ligar|mensag\w+|incomod\w+|perturb\w+|chatear|`+ptNouns+`)\b`,
	`\bnao (?:me |nos )?(?:envi\w+|mand\w+|escrev\w+|contat\w+|contact\w+|perturb\w+|incomod\w+|ligu\w+)(?: me| nos)? (?:mais|`+
		`nunca)\b|\bnao (?:me )?(?:envi\w+|mand\w+)(?: me)? `+ptNouns+`\b`,
	`\bnao (?:quero|desejo|queremos|gostaria|autorizo|aceito|pretendo)(?: (?:mais|receber|de|as|os|suas|seus|essas|estas|esses|`+
		`estes|ser|que|me|nenhuma|nenhum|continuar|recebendo|a|enviem|mandem)){0,6} (?:`+
		ptNouns+`|contactad[oa]|contatad[oa]|incomodad[oa]|contatem|contactem)\b`,
	`\b(?:remov\w+|tir\w+|retir\w+|exclu\w+|apag\w+|delet\w+)(?: \w+){0,2} (?:meu numero|lista|meu email|meu contato|`+
		`meu contacto|meu nome|meu telefone|meus dados)\b`,
	`\b(?:cancel\w+|anul\w+) (?:a |o )?(?:minha |meu )?(?:inscricao|assinatura|cadastro|subscricao|registo|registro)\b|`+
		`\bdescadastr\w+|\bdesinscrev\w+|\bsair d(?:a|esta|essa) lista\b`,
	`\b(?:me deixe|me deixem|me deixa|deixe me|deixem me|deixa me) em paz\b|\bsem mais mensagens\b|\b(?:retiro|revogo|`+
		`cancelo) (?:o )?meu (?:consentimento|autorizacao)\b`,
)

// mixed are opt-outs with a condition, which a person must decide.
var mixed = lazy.Regexp(`\b(?:dont|do not) (?:text|message|email|contact) (?:me|us) (?:before|after|until|till|while|` +
	`on|about|at work|during|when|if|unless|except|so)\b|` +
	`\b(?:waiting list|wait list|waitlist)\b|\bopt out of (?:the|an|your|that) \w+|\b(?:dont|do not) want (?:any )?calls\b.*\btext\b`)

// harmlessFirst are phrases that contain an opt-out in another sense. They are
// removed before the sentences are compared.
var harmlessFirst = lazy.Regexp(`\b(?:dont|do not|never|wont|please|to|can|will|could|ill|i|we|well|just|might|` +
	`may)? ?stop(?:ped|ping|s)? (?:by|in|at|over|off|for|there|here|on (?:my|the|our|your|mon|tues|wednes|thurs|fri|satur|` +
	`sun)\w*)\b|` +
	`\bwrite (?:me|us|it) off\b|\b(?:opt|opts|opted|opting) out of (?:the |an |that )?(?:extended |service )?(?:warranty|` +
	`insurance|gap|trailer|package|financing|survey|tower|radar)\b`)

// harmless are phrases with a review word in another sense.
var harmless = lazy.Regexp(`\b(?:non|bus|truck|gas|fuel|pit|rest|full|one|two|first|last|next|short|quick|dead|lunch|` +
	`ice|bait|coffee|overnight|second|final|each|every|emergency|engine|door|the|a|bow|rub|their|any) stops?\b|` +
	`\bstop (?:sign|light|watch|switch|button|shop|cock|valve|loss|and (?:see|look|say|get|grab|check|pick|visit|chat|talk)|` +
	`working|running|leaking|the (?:boat|car|engine|leak|motor|trailer|truck|clock|bleeding|press|presses|water|rain|drip)|` +
	`to (?:see|look|say|get|grab|check|pick|visit|eat)|before (?:noon|lunch|dark)|when|pour|thinking|looking|dreaming|smiling|` +
	`talking about|raining|traffic|us from|you from|me from|him|her|a )\b|` +
	`\b(?:cant|cannot|wont|doesnt|didnt|would not|wouldnt|couldnt|will not|does not|did not|never|it|she|engine|motor|rain|pump|` +
	`wipers|alarm|to|i|we|they|where|ill|us|trailers?|boat) (?:ever |even |ll )?stop\b(?:$| )|` +
	`\b(?:engine|motor|pump|bilge|radio|battery|it|gps|plotter|outboard|he|she|i|they|just|never|salesman|guy|wife|husband|` +
	`heater|ac|starter|will|wont|didnt|sounder|chartplotter|generator|not) quit\b|` +
	`\b(?:est|sest|un|a|ete|sont|moteur) arrete\b|\bquit (?:on|working|running|my job|smoking|drinking|claim|raining|at|` +
	`yesterday|claiming|fishing|early|while)\b|\bquitclaim\b|` +
	`\b(?:spam folder|in spam|to spam|in my spam|my spam|your spam|into spam|as spam|the spam)\b|\bcall it quits\b`)

// politeStop is a short plea to stop.
var politeStop = lazy.Regexp(`\bplease stop\b|\bstop (?:please|pls|plz|all|now|these|it|immediately|today|asap)\b|` +
	`\b(?:pls|plz|just|said|told you to|asked you to) stop\b|\bstop (?:i am|im) (?:not|driving)\b`)

// review are words that a person must read.
var review = lazy.Regexp(`\b(?:stop|unsubscribe|unsubscribed|quit|cancel|revoke|spam|arret|arrete|arretez|` +
	`not interested|wrong number|who is this|no thanks|no thank you|` +
	`harass|harassing|harassment|lawyer|attorney|remove (?:me|us|my|this|it from)|enough of|thats enough|that is enough|` +
	`enough is enough|had enough|enough already|` +
	`opt out|opted out|(?:do not|dont) call(?: me| us)?$|(?:do not|dont) (?:text|contact|message|email)(?: me| us|$)|` +
	`no me interesa|numero equivocado|quien es|pas interesse|mauvais numero|sem interesse|nao tenho interesse|numero errado|` +
	`no gracias|non merci|nao obrigado)\b`)

// compile returns patterns that are compiled by the first call.
func compile(patterns ...string) func() []*regexp.Regexp {
	return sync.OnceValue(func() (all []*regexp.Regexp) {
		for _, p := range patterns {
			all = append(all, regexp.MustCompile(p))
		}
		return all
	})
}
